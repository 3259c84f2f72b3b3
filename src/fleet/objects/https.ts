// Objects on a web server, below the folder of the manifest's URL. A user and password of the URL are sent to
// its own origin only; its query, which may be a signature of a store, with every request.

import { HttpClient, type HttpClientOptions } from '../../download/client.ts';
import { secretsIn, shownUrl } from '../../download/http-error.ts';
import { isValidUrl } from '../../download/valid-url.ts';
import { MANIFEST_NAME } from '../manifest.ts';
import { getOverHttp } from './http-object.ts';
import { type AskedObject, ObjectError, type ObjectReply, type ObjectSource } from './objects.ts';

interface HttpsSourceOptions extends Pick<HttpClientOptions, 'caFile' | 'environment'> {
  /** The value of the header, in place of the URL's user and password. */
  readonly authorization?: string | undefined;
}

export class HttpsSource implements ObjectSource {
  readonly shownAs: string;
  readonly #manifest: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #client: HttpClient;

  /** `manifest` may have another name than MANIFEST_NAME. Throws SourceError for bad certificates. */
  constructor(manifest: URL, { authorization, ...options }: HttpsSourceOptions = {}) {
    const { username, password } = manifest;
    this.#manifest = new URL(manifest);
    this.#manifest.username = '';
    this.#manifest.password = '';
    this.shownAs = shownUrl(manifest);
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const basic = Buffer.from(credentials).toString('base64');
    const sent = authorization ?? (username === '' ? undefined : `Basic ${basic}`);
    this.#headers = sent === undefined ? {} : { authorization: sent };
    const own = authorization?.split(' ') ?? [];
    const secrets = [...secretsIn(manifest), decodeURIComponent(password), basic, own.at(-1) ?? ''].filter(
      (each) => each !== '',
    );
    this.#client = new HttpClient({ ...options, secrets });
  }

  async get(name: string, asked: AskedObject): Promise<ObjectReply> {
    return getOverHttp(this.#client, this.#urlOf(name), asked, { headers: this.#headers });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #urlOf(name: string): URL {
    if (name === MANIFEST_NAME) return this.#manifest;
    const folder = new URL('.', this.#manifest);
    const url = isValidUrl(name, folder.href) ? new URL(name, folder) : undefined;
    if (url === undefined || !url.href.startsWith(folder.href)) {
      throw new ObjectError(`${this.shownAs}: it names ${name}, which is not below its folder`, false);
    }
    url.search = this.#manifest.search;
    return url;
  }
}
