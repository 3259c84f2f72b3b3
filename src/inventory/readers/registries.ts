// The registries whose packages the data are about. What another one has published under the same name may be
// something else, so its packages are named and not asked about.

import type { ProductType } from '../../index/product-type.ts';

/** The hosts by which lockfiles name them. */
const PUBLIC_HOSTS: { readonly [type in ProductType]?: readonly string[] } = {
  cargo: ['github.com/rust-lang/crates.io-index', 'index.crates.io'],
  composer: ['packagist.org', 'repo.packagist.org', 'wpackagist.org'],
  gem: ['rubygems.org', 'index.rubygems.org'],
  pypi: ['pypi.org', 'pypi.python.org', 'files.pythonhosted.org'],
};

/** Why packages from this address are left out; undefined if it is the type's public registry. */
export function refuseRegistry(type: ProductType, address: string): string | undefined {
  const match = /^[a-z+]+:\/\/(?:[^/@]*@)?([^/:?#]+)(?::\d+)?([^?#]*)/i.exec(address);
  if (match === null) return 'a package of an unknown registry';
  const host = match[1].toLowerCase();
  const place = host + match[2].replace(/\.git$/, '');
  return PUBLIC_HOSTS[type]?.some((known) => known === host || known === place)
    ? undefined
    : `a package of the registry ${host}`;
}
