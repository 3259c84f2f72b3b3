// An engine of the quotas that says whatever a test wants: bytes for each command, over a real socket.

import { createServer, type Socket } from 'node:net';
import type { FolderOwner } from '../folder.ts';

/** `say` gets a command and its words, and returns the bytes of its reply. */
export async function startSayingEngine(
  owner: FolderOwner,
  say: (command: string, words: readonly string[]) => string,
): Promise<{ readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let unread = '';
    socket.on('error', () => {}); // the client may leave in the middle of a reply
    socket.on('data', (bytes) => {
      unread += bytes.toString('latin1');
      for (let read = readCommand(unread); read !== undefined; read = readCommand(unread)) {
        unread = unread.slice(read.length);
        const [command, ...words] = read.words;
        socket.write(say(command.toUpperCase(), words), 'latin1');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  owner.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port };
}

/** The first command, an array of bulk strings, or undefined if it has not arrived whole. */
function readCommand(
  text: string,
): { readonly words: readonly string[]; readonly length: number } | undefined {
  const [head, count] = /^\*(\d+)\r\n/.exec(text) ?? [];
  if (head === undefined) return undefined;
  const words: string[] = [];
  let at = head.length;
  while (words.length < Number(count)) {
    const [line, size] = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20)) ?? [];
    if (line === undefined) return undefined;
    const end = at + line.length + Number(size);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(at + line.length, end));
    at = end + 2;
  }
  return { words, length: at };
}
