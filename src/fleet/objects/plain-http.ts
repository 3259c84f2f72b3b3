// Which addresses may be asked without encryption: those of this machine, and others only if that is allowed.

import { shownUrl } from '../../download/http-error.ts';
import { ObjectError } from './objects.ts';

/** Throws ObjectError. `named` is the option or variable that the URL is from. */
export function requireEncrypted(url: URL, mayBeHttp: boolean, named: string): void {
  if (url.protocol !== 'http:' || mayBeHttp || isLoopback(url)) return;
  const remedy = 'use https, or allow http with --source-plain-http of `serve`, --plain-http of `publish`';
  throw new ObjectError(`${named}: ${shownUrl(url)} is not encrypted; ${remedy}`, false);
}

/** Whether it is an address of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
