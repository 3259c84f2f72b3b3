// What a balancer and an operator ask of any server: health, readiness and the OpenAPI document, at the root.
// They are the contract's open routes; this dialect has them where the contract is off, or moved away from
// the root.

import { type Dialect, type OpenApiPart, SERVICE_NAME } from '../http/dialect.ts';
import { operationsOf } from '../http/openapi/document.ts';
import { patchstack } from './patchstack/patchstack.ts';

type Components = OpenApiPart['components'];

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

/**
 * The dialect of these routes beside others. Its part of the document has what operations of theirs take from
 * the contract's part, if that is not in the document.
 */
export function serviceRoutes(others: readonly Dialect[]): Dialect {
  const routes = patchstack.routes.filter(({ kind }) => kind === 'open');
  const hasContract = others.some(({ name }) => name === patchstack.name);
  const { tags, components } = patchstack.openApi;
  const all = [{ ...patchstack, routes }, ...others].flatMap(operationsOf);
  const seed = JSON.stringify([all, others.map(({ openApi }) => openApi.components)]);
  const { prepare: _, ...contract } = patchstack; // files come from the data
  return {
    ...contract,
    name: SERVICE_NAME,
    mounts: [{ path: '', description: 'The service’s own root.' }],
    routes,
    openApi: {
      ...patchstack.openApi,
      description: 'The paths of the service itself need no key.',
      tags: hasContract ? [] : tags.filter(({ name }) => seed.includes(JSON.stringify(name))),
      components: referred(components, seed),
    },
  };
}

/**
 * The components that the text of an OpenAPI part refers to, and those that they refer to; the ways to send a
 * key.
 */
function referred(components: Components, text: string): Components {
  const found: { [kind: string]: { [name: string]: object } } = {
    ...{ schemas: {}, headers: {}, parameters: {}, responses: {} },
    securitySchemes: components.securitySchemes ?? {},
  };
  const follow = (part: string): void => {
    for (const [, kind, name] of part.matchAll(REFERENCE)) {
      const component = (components as unknown as typeof found)[kind]?.[name];
      if (component === undefined || found[kind][name] !== undefined) continue;
      found[kind][name] = component;
      follow(JSON.stringify(component));
    }
  };
  follow(text);
  return found as unknown as Components; // each was copied from the same kind
}
