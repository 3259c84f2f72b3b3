// How long ago something was, kept up to date without a word to screen readers.

import { useEffect, useState } from 'preact/hooks';
import { duration, moment } from './words.ts';

const TICK_MS = 1_000;

export function Age({ since }: { readonly since: string }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = (nowMs - Date.parse(since)) / 1_000;
  return (
    <time dateTime={since} title={moment(since)}>
      {duration(Math.max(0, seconds))}
    </time>
  );
}
