// How npm clients send a key: as a token (`_authToken`), or as user and password (`_auth`, or in the address).

import type { KeyReading } from '../../http/dialect.ts';
import { KEY_HEADERS, readKey } from '../../http/key-forms.ts';

export const keys: KeyReading = {
  headers: KEY_HEADERS,
  read: readKey,
  advice:
    'Send your API key as _authToken or as the password of _auth of this registry, as user:key@ in its address, or in ' +
    'the header "PSKey: <key>".',
  challenge: 'Bearer',
};
