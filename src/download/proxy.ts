// Which proxy a URL is asked through: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl reads them. The HTTP
// library has the same as an experimental class, which warns on standard error and sends https through
// HTTP_PROXY. With NO_PROXY=a.example, the package proxy-from-env still asks a proxy for x.a.example.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy's URL, or undefined for a direct connection. */
export function proxyFor(url: URL, environment: Environment): string | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = settingOf(name, environment);
  if (proxy === undefined || isExempt(url, settingOf('no_proxy', environment) ?? '')) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** The lower-case name wins; an empty value is none. */
function settingOf(name: string, environment: Environment): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** Whether a list names the host, a domain that it is in, or `*`; an entry may end in a port. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      // An IPv6 address without brackets contains colons itself.
      const isAddress = entry.includes('::') && !entry.includes(']');
      if (isAddress) return host === `[${entry}]`;
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host.endsWith(`.${domain}`);
    });
}
