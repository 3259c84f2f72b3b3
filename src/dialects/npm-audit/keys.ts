// How npm clients send a key: as a token (`_authToken`), or as user and password (`_auth`, or in the address).

import { bearerToken } from '../../http/auth.ts';
import type { KeyReading } from '../../http/dialect.ts';

export const keys: KeyReading = {
  headers: ['PSKey', 'Authorization'],
  read: (request) => {
    const psKey = request.header('pskey');
    if (psKey !== '') return psKey;
    const authorization = request.header('authorization');
    const basic = /^basic +([A-Za-z0-9+/=]{1,2048})$/i.exec(authorization)?.[1];
    if (basic === undefined) return bearerToken(authorization);
    const text = Buffer.from(basic, 'base64').toString();
    const colon = text.indexOf(':');
    return colon === text.length - 1 ? text.slice(0, colon) : text.slice(colon + 1);
  },
  advice:
    'Send your API key as _authToken or as the password of _auth of this registry, as user:key@ in its address, or in ' +
    'the header "PSKey: <key>".',
  challenge: 'Bearer',
};
