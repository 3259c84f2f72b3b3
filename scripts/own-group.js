// Runs one test file in a process group of its own, which is killed when the test ends or takes too long.
import { spawn } from 'node:child_process';

/** Whether the file passes within the limit. */
export function passes(file, limitMs) {
  const words = ['--import', 'tsx', '--test-reporter=spec', file];
  const child = spawn(process.execPath, words, { stdio: 'inherit', detached: true });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      console.error(`${file} is still running after ${limitMs / 1000} s`);
      endGroup(child.pid);
    }, limitMs);
    const interrupt = () => {
      endGroup(child.pid);
      process.exit(1);
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    child.once('exit', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      endGroup(child.pid); // servers that outlived their test
      resolve(code === 0);
    });
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group is already gone
  }
}
