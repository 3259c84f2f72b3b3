// Compresses the files of a folder once, so that no request pays for it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const GZIP_LEVEL = 9;
const BROTLI_QUALITY = 11;
/** Above this size, a lower quality: for 1.7 MB, 11 takes 3 s and saves a tenth. */
const LARGE_BYTES = 500_000;
const LARGE_BROTLI_QUALITY = 9;

export interface CompressedFile {
  readonly name: string;
  /** When compressed by gzip, or as it is if that is smaller. */
  readonly bytes: number;
}

/** Writes NAME.gz and NAME.br beside each file, where smaller. */
export async function compressFiles(folder: string): Promise<CompressedFile[]> {
  return Promise.all(
    readdirSync(folder)
      .sort()
      .map(async (name) => {
        const bytes = readFileSync(join(folder, name));
        const quality = bytes.length > LARGE_BYTES ? LARGE_BROTLI_QUALITY : BROTLI_QUALITY;
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: quality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        const [zipped, brotli] = await Promise.all([
          promisify(gzip)(bytes, { level: GZIP_LEVEL }),
          promisify(brotliCompress)(bytes, { params }),
        ]);
        if (zipped.length < bytes.length) writeFileSync(join(folder, `${name}.gz`), zipped);
        if (brotli.length < bytes.length) writeFileSync(join(folder, `${name}.br`), brotli);
        return { name, bytes: Math.min(bytes.length, zipped.length) };
      }),
  );
}
