// What a refusal of S3 means, and what to do. Only its code and its sentence are shown: the rest of the
// answer can repeat a session token. So can an answer that is not S3's, whose long words are left out.

import type { OpenAnswer } from '../../../download/client.ts';
import { excerpt } from '../../../download/http-error.ts';
import { isPassing } from '../../../download/retry.ts';
import { ObjectError } from '../objects.ts';
import { textOf } from './xml.ts';

const READ_BYTES = 16 << 10;
const SHOWN_CHARACTERS = 200;
/** A code or a region. Something else is not of S3. */
const NAME = /^[\w.-]{1,64}$/;

/** By code; `passing` where the same request may succeed later without anyone's help. */
const REMEDIES: { readonly [code: string]: { readonly remedy: string; readonly passing?: true } } = {
  AccessDenied: {
    remedy:
      'allow s3:GetObject, s3:ListBucket (or else an object that does not exist is refused too), and to publish s3:PutObject',
  },
  AuthorizationHeaderMalformed: { remedy: 'set AWS_REGION to the region of the bucket' },
  BadDigest: { remedy: 'the file changed while it was sent; publish again', passing: true },
  EntityTooLarge: { remedy: 'it is larger than one upload may be' },
  ExpiredToken: { remedy: 'renew AWS_SESSION_TOKEN', passing: true },
  InvalidAccessKeyId: { remedy: 'check AWS_ACCESS_KEY_ID, and that the endpoint is the one it is for' },
  InvalidToken: { remedy: 'check AWS_SESSION_TOKEN' },
  NoSuchBucket: { remedy: 'check the name of the bucket, or create it' },
  PermanentRedirect: { remedy: 'set AWS_REGION to the region of the bucket' },
  RequestTimeTooSkewed: { remedy: 'set the clock of this machine', passing: true },
  SignatureDoesNotMatch: { remedy: 'check AWS_SECRET_ACCESS_KEY and AWS_REGION' },
  SlowDown: { remedy: 'try again later', passing: true },
  XAmzContentSHA256Mismatch: { remedy: 'the file changed while it was sent; publish again', passing: true },
};

/** Names a refusal, whose body it reads. `what` is the request in words. */
export async function s3Refusal(what: string, { head, body }: OpenAnswer): Promise<ObjectError> {
  const { status } = head;
  const text = (await beginning(body)).toString();
  const code = textOf(text, 'Code');
  if (code === undefined || !NAME.test(code)) {
    const type = head.header('content-type') ?? 'no content type';
    const shown = excerpt(Buffer.from(text), [], { repeatsRequest: true });
    const said = shown === '' ? 'an empty answer' : shown;
    const remedy = 'this may not be S3: check AWS_ENDPOINT_URL';
    return new ObjectError(`${what}: status ${status} (${type}): ${said}; ${remedy}`, isPassing(status));
  }
  const { remedy, passing = false } = REMEDIES[code] ?? { remedy: 'check the bucket and the credentials' };
  const region = head.header('x-amz-bucket-region') ?? textOf(text, 'Region');
  const place = region === undefined || !NAME.test(region) ? '' : ` (${region})`;
  const sentence = (textOf(text, 'Message') ?? '').slice(0, SHOWN_CHARACTERS).replace(/[\s\p{Cc}]+/gu, ' ');
  return new S3Refusal(
    `${what}: status ${status}, ${code}: ${sentence.trim()}; ${remedy}${place}`,
    passing || isPassing(status),
    code,
  );
}

export class S3Refusal extends ObjectError {
  /** S3's word for it. */
  readonly code: string;

  constructor(message: string, isPassing: boolean, code: string) {
    super(message, isPassing);
    this.code = code;
  }
}

async function beginning(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= READ_BYTES) break;
    }
  } catch {
    // the status says enough
  }
  return Buffer.concat(pieces);
}
