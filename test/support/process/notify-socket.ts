// The socket of a systemd that listens to what a service says of itself: Node has no datagram sockets of
// that kind, so it is Python's.

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { until } from '../until.ts';
import type { ProcessOwner } from './server-process.ts';

const LISTENER = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(s, 4096, 8)
    for fd in fds: os.close(fd)  # a barrier: whoever sent it waits for that
    print(data.decode(), flush=True)
`;

/** Why there can be none here; undefined if there can. */
export function whyNoNotifySocket(): string | undefined {
  return ['systemd-notify', 'python3'].flatMap((program) =>
    spawnSync(program, ['--version']).status === 0 ? [] : `${program} is not installed`,
  )[0];
}

export class NotifySocket {
  /** Without barriers. */
  readonly messages: string[] = [];

  static async open(owner: ProcessOwner, path: string): Promise<NotifySocket> {
    const child = spawn('python3', ['-c', LISTENER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    owner.after(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    const socket = new NotifySocket(child);
    await until('the socket to be bound', () => socket.messages.length > 0);
    socket.messages.length = 0;
    return socket;
  }

  private constructor(child: ChildProcessByStdio<null, Readable, null>) {
    createInterface(child.stdout).on('line', (line) => {
      if (line !== 'BARRIER=1') this.messages.push(line);
    });
  }
}
