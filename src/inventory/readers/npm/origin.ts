// Where lockfiles say a package comes from: a registry's are asked, those of a repository or a folder are
// not, because their version says nothing about what a registry published under it.

/** Why a package from here is left out; undefined for one of a registry, or of a tarball. */
export function refuseOrigin(from: string): string | undefined {
  if (/^(?:link|portal):/.test(from)) return 'a link to a folder';
  if (/^workspace:/.test(from)) return 'a package of the workspace itself';
  if (/^(?:file|directory|exec):/.test(from)) return 'a local file or folder';
  if (
    /^(?:git[+:@]|github:|gitlab:|bitbucket:|gist:|ssh:)/.test(from) ||
    GIT_URL.test(from) ||
    GIT_SHORT.test(from)
  ) {
    return 'a git repository';
  }
  return undefined;
}

/** Also archives that hosts make of a commit. */
const GIT_URL =
  /^https?:\/\/(?:[^/]*\.git(?:#|$)|.*\.git(?:#|$)|codeload\.github\.com\/|(?:github\.com|gitlab\.com|bitbucket\.org)\/[^/]+\/[^/]+(?:\/(?:archive|get|-\/archive|repository\/archive)|\/?(?:#|$))|gitlab\.com\/.*\/repository\/archive)/;
/** `owner/repository`, with or without a commit. */
const GIT_SHORT = /^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/;

/** The package in the address of a registry's tarball, `…/@scope/name/-/name-1.0.0.tgz`. */
export function nameInTarball(resolved: string): string | undefined {
  const match = /\/((?:@[^/@]+(?:\/|%2f))?[^/@]+)\/-\/[^/]+$/i.exec(resolved);
  return match?.[1].replace(/%2f/i, '/');
}

/** The name and what follows the @ in `name@rest` or `@scope/name@rest`; undefined without a name or an @. */
export function splitAt(text: string): { readonly name: string; readonly rest: string } | undefined {
  const at = text.indexOf('@', 1);
  return at < 1 ? undefined : { name: text.slice(0, at), rest: text.slice(at + 1) };
}
