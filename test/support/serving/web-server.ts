// Web servers that a test scripts: what they answer to each request, in plain HTTP or TLS, and proxies. They
// end with the test, with all of their connections.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FolderOwner } from '../folder.ts';

/** Certificates of the authority that signed the TLS server's, which is for localhost and 127.0.0.1. */
export const AUTHORITY_FILE = fixture('authority.pem');

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly bytes: Buffer;
}

export interface WebServer {
  readonly url: URL;
  /** Every request so far. */
  readonly asked: readonly Asked[];
}

/** Answers one request. `number` is 1 for the first. */
export type Answer = (asked: Asked, response: ServerResponse, number: number) => void | Promise<void>;

export async function startWebServer(
  owner: FolderOwner,
  answer: Answer,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<WebServer> {
  const asked: Asked[] = [];
  const listener = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url = '', headers } = incoming;
    const bytes = Buffer.concat(pieces);
    const one: Asked = { method, url, headers, body: bytes.toString(), bytes };
    asked.push(one);
    await answer(one, response, asked.length);
  };
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    listener(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  };
  const server = tls
    ? createTlsServer(
        { key: readFileSync(fixture('server-key.pem')), cert: readFileSync(fixture('server.pem')) },
        handle,
      )
    : createServer(handle);
  const port = await listen(owner, server);
  return { url: new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${port}/`), asked };
}

/** A proxy that passes on plain requests and tunnels, and notes the first line of each. */
export async function startProxy(
  owner: FolderOwner,
): Promise<{ readonly url: string; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const tunnels = new Set<Duplex>();
  const server = createServer((incoming, response) => {
    lines.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const onward = request(incoming.url ?? '', { method, headers, agent: false }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, client: Duplex) => {
    lines.push(`CONNECT ${incoming.url}`);
    const [host, port] = (incoming.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const end of [client, target]) {
      tunnels.add(end);
      end.on('error', () => end.destroy());
    }
  });
  const port = await listen(owner, server);
  owner.after(() => {
    for (const tunnel of tunnels) tunnel.destroy();
  });
  return { url: `http://127.0.0.1:${port}`, lines };
}

async function listen(
  owner: FolderOwner,
  server: Server | ReturnType<typeof createTlsServer>,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  owner.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}
