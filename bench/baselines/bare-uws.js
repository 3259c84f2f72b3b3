// uWebSockets.js answering every request with the same bytes, those of the reply in the file that is given. The addon is
// the one that the server uses.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';

const { status, headers, body: text } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const line = `${status} ${STATUS_CODES[status]}`;
const body = Buffer.from(text);

function answer(res) {
  res.writeStatus(line);
  for (let i = 0; i < headers.length; i++) res.writeHeader(headers[i][0], headers[i][1]);
  if (status === 304) res.endWithoutBody();
  else res.end(body);
}

App()
  .get('/*', answer)
  .post('/*', (res) => {
    res.onAborted(() => {});
    res.onData((_, isLast) => {
      if (isLast) res.cork(() => answer(res));
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket) console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`);
  });
process.once('SIGTERM', () => process.exit(0));
