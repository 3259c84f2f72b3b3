// uWebSockets.js answering every request with the same bytes. Given a file with the reply, and the number of threads.
// The addon is the one that the server itself uses, from the installation around this folder.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { App } from 'uws-pack';

const STATUS_LINES = { 200: '200 OK', 304: '304 Not Modified', 401: '401 Unauthorized' };

if (isMainThread) {
  const reply = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const workers = Number(process.argv[3]);
  const port = await freePort();
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

function freePort() {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
