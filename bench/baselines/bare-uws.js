// uWebSockets.js answering every request with the same bytes. Arguments: a file with the reply, the number of
// threads, and a free port. The addon is the one that the server uses, from the installation around this folder.

import { App } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const STATUS_LINES = { 200: '200 OK', 304: '304 Not Modified', 401: '401 Unauthorized' };

if (isMainThread) {
  const reply = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const workers = Number(process.argv[3]);
  const port = Number(process.argv[4]);
  if (workers === 1) {
    listen(reply, port, () => console.log(`listening on http://127.0.0.1:${port}`));
  } else {
    const started = Array.from({ length: workers }, () => {
      const thread = new Worker(new URL(import.meta.url), { workerData: { reply, port } });
      return new Promise((resolve) => thread.once('message', resolve));
    });
    await Promise.all(started);
    console.log(`listening on http://127.0.0.1:${port}`);
  }
  process.once('SIGTERM', () => process.exit(0));
} else {
  listen(workerData.reply, workerData.port, () => parentPort.postMessage('listening'));
  parentPort.on('message', () => {});
}

function listen({ status, headers, body: text }, port, onListening) {
  const line = STATUS_LINES[status];
  const body = Buffer.from(text);
  const answer = (res) => {
    res.writeStatus(line);
    for (let i = 0; i < headers.length; i++) res.writeHeader(headers[i][0], headers[i][1]);
    if (status === 304) res.endWithoutBody();
    else res.end(body);
  };
  App()
    .get('/*', answer)
    .post('/*', (res) => {
      res.onAborted(() => {});
      res.onData((_, isLast) => {
        if (isLast) res.cork(() => answer(res));
      });
    })
    .listen('127.0.0.1', port, (socket) => {
      if (socket) onListening();
    });
}
