// Where a bucket is: `s3://bucket/prefix`, the endpoint and the region, as the usual variables say them.

import type { Environment } from '../../../download/proxy.ts';
import { isValidUrl } from '../../../download/valid-url.ts';
import { ObjectError } from '../objects.ts';
import { requireEncrypted } from '../plain-http.ts';
import { profileRegion, setting } from './settings.ts';

export interface S3Place {
  readonly shownAs: string;
  readonly bucket: string;
  /** Before every name: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  /** Of the bucket, with a slash at its end. */
  readonly url: URL;
}

const DEFAULT_REGION = 'us-east-1';
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,62}$/i;
const PREFIX = /^[\w.~/ =@:,!'()*+-]*$/;

/** Throws ObjectError. */
export function s3PlaceOf(location: string, environment: Environment, mayBeHttp: boolean): S3Place {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/?#]*)(?:\/(.*))?$/is.exec(location) ?? [];
  if (!BUCKET.test(bucket)) {
    const expected = 's3://BUCKET or s3://BUCKET/PREFIX, where the bucket has 2 to 63 characters';
    throw new ObjectError(
      `${shownAsOf(location)}: this is not the place of a bucket; expected ${expected}`,
      false,
    );
  }
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (!PREFIX.test(prefix) || prefix.split('/').some((part) => part === '.' || part === '..')) {
    throw new ObjectError(`${shownAsOf(location)}: choose a prefix of letters, digits and -_./`, false);
  }
  const region =
    setting(environment, 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? profileRegion(environment) ?? DEFAULT_REGION;
  return {
    shownAs: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    url: bucketUrl(
      bucket,
      region,
      setting(environment, 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'),
      mayBeHttp,
    ),
  };
}

function bucketUrl(bucket: string, region: string, endpoint: string | undefined, mayBeHttp: boolean): URL {
  if (endpoint === undefined) {
    const host = amazonHost('s3', region);
    // The certificate is for one label before the host.
    const isLabel = /^[a-z0-9-]+$/.test(bucket);
    return new URL(isLabel ? `https://${bucket}.${host}/` : `https://${host}/${bucket}/`);
  }
  const url = isValidUrl(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ObjectError('AWS_ENDPOINT_URL: this is not an http or https URL; correct it', false);
  }
  requireEncrypted(url, mayBeHttp, 'AWS_ENDPOINT_URL');
  // Few other servers have a name for each bucket.
  return new URL(`${url.pathname.replace(/\/+$/, '')}/${bucket}/`, url.origin);
}

function shownAsOf(location: string): string {
  return JSON.stringify(location.replace(/[?#].*$/s, ''));
}

/**
 * The host of a service of Amazon's in a region, such as `sts.eu-west-1.amazonaws.com`. The regions in China
 * have a domain of their own.
 */
export function amazonHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
