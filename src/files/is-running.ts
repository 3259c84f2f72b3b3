// Whether a process of this machine is alive, for locks and temporary files that carry their owner's number.

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only checks
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}
