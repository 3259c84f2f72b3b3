// The objects of a store behind a real web server, which knows tags and ranges.

import type { FolderOwner } from '../folder.ts';
import { type Asked, startWebServer } from '../serving/web-server.ts';
import { sha256Of } from './memory-store.ts';

export interface WebStore {
  /** Of the manifest. */
  readonly url: URL;
  readonly objects: Map<string, Uint8Array>;
  readonly asked: readonly Asked[];
  /** Of bodies. */
  sentBytes: number;
  /** The status of every answer, for a store that is ill. */
  status: number | undefined;
}

export async function startWebStore(owner: FolderOwner): Promise<WebStore> {
  const objects = new Map<string, Uint8Array>();
  const server = await startWebServer(owner, ({ url, headers }, response) => {
    if (store.status !== undefined) {
      response.writeHead(store.status).end(`<h1>${Math.random()}</h1>`);
      return;
    }
    const bytes = objects.get(url.slice(1).split('?', 1)[0]);
    if (bytes === undefined) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    }
    const etag = `"${sha256Of(bytes).slice(0, 16)}"`;
    if (headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const isPart = from !== undefined && headers['if-range'] === etag && Number(from) < bytes.length;
    const sent = isPart ? bytes.subarray(Number(from)) : bytes;
    store.sentBytes += sent.length;
    const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    const shown = { etag, 'content-length': sent.length, ...(isPart ? range : {}) };
    response.writeHead(isPart ? 206 : 200, shown).end(sent);
  });
  const store: WebStore = {
    url: new URL('latest.json', server.url),
    objects,
    asked: server.asked,
    sentBytes: 0,
    status: undefined,
  };
  return store;
}
