// Preloaded into the servers of tests, in every thread: makes threads fail when the process gets a signal.
// SIGUSR2 makes a worker throw and SIGPROF makes it loop; SIGVTALRM makes it loop in the handler of its next
// request, and SIGIO in the next work that it puts off. Each signal takes the next worker. SIGXCPU makes the
// loader throw.

import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

const channel = new BroadcastChannel('faults');

if (isMainThread) {
  const workers = Number(process.argv[process.argv.indexOf('--workers') + 1]);
  let next = 0;
  for (const [signal, how] of [
    ['SIGUSR2', 'throw'],
    ['SIGPROF', 'hang'],
    ['SIGVTALRM', 'hang-in-request'],
    ['SIGIO', 'hang-in-work'],
  ])
    process.on(signal, () => channel.postMessage({ thread: next++ % workers, how }));
  process.on('SIGXCPU', () => channel.postMessage({ thread: 'loader', how: 'throw' }));
} else {
  const isWorker = workerData?.transport !== undefined;
  const own = isWorker ? workerData.index : workerData?.beat === undefined ? undefined : 'loader';
  const { now } = Date;
  const { setImmediate } = globalThis;
  let armed;
  if (isWorker) {
    // The handler of a request asks for the time.
    Date.now = () => {
      if (armed === 'hang-in-request' && /\bhandle\b/.test(new Error().stack)) hangOnce();
      return now();
    };
    globalThis.setImmediate = (callback, ...words) => {
      if (armed !== 'hang-in-work') return setImmediate(callback, ...words);
      setImmediate(() => {}); // ending a thread is harder when what hangs is not the first of its turn
      return setImmediate(hangOnce);
    };
  }
  const hangOnce = () => {
    armed = undefined; // what ends the thread is not to hang
    hang();
  };
  channel.onmessage = ({ data: { thread, how } }) => {
    if (thread !== own) return;
    if (how === 'throw') throw new Error('told to fail');
    if (how === 'hang') hang();
    armed = how;
  };
}
channel.unref();

function hang() {
  for (;;);
}
