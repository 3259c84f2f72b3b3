// What differs by platform in the console, as one table: the tools that update a product to a version, and
// whether a range `^` means the same there as in npm. Who shows a command decides how it is written: the
// look-up quotes each word, an inventory refuses what would need it.

import {
  type Platform,
  type ProductType,
  productTypeFacts,
  versionForTool,
} from '../../index/product-type.ts';
import type { Updater } from '../../inventory/inventory.ts';
import { isMajorJump } from './npm-range.ts';

export interface Target {
  readonly type: ProductType;
  readonly name: string;
  /** '' if it is not known. */
  readonly from: string;
  readonly to: string;
}

export interface UpdateTool {
  /** As people call it. */
  readonly label: string;
  /** What its command begins with. */
  readonly command: string;
  /** Whether the words of several products may follow. */
  readonly takesSeveral: boolean;
  /** Whether its command says which of several installed versions it replaces. */
  readonly selects: boolean;
  /** The names and versions that it takes for nothing else, such as an option, a file or an address. */
  readonly name: RegExp;
  readonly version: RegExp;
  /** The words for one product; undefined where its command would not do it. */
  readonly wordsFor: (target: Target) => readonly string[] | undefined;
  /** What somebody who runs its commands has to know. */
  readonly remark?: string;
}

interface PlatformTools {
  /** Whether an update that `^` would not allow is one that its author promises nothing about. */
  readonly hasCaret: boolean;
  /** Null, here and below, where no command does it well: a version is written into a file. */
  readonly usual: UpdateTool | null;
  /** Of inventories that another tool has written. */
  readonly others?: Readonly<Partial<Record<Updater, UpdateTool | null>>>;
}

const tool = {
  takesSeveral: true,
  selects: false,
  name: /^\w[\w.-]*$/,
  version: /^v?\d[\w.+-]*$/,
} as const;

/** What wp-cli calls a product of each type. */
const WP_WORDS: Readonly<Partial<Record<ProductType, (name: string) => readonly string[]>>> = {
  plugin: (name) => ['plugin', 'update', name],
  theme: (name) => ['theme', 'update', name],
  wordpress: () => ['core', 'update'],
};

const TABLE: Readonly<Record<Platform, PlatformTools>> = {
  wordpress: {
    hasCaret: false,
    usual: {
      label: 'wp-cli',
      command: 'wp',
      takesSeveral: false,
      selects: false,
      name: /^[^-/][^/]*$/,
      version: /^/, // any text: it is a part of a word
      wordsFor: ({ type, name, to }) => WP_WORDS[type] && [...WP_WORDS[type](name), `--version=${to}`],
    },
  },
  npm: {
    hasCaret: true,
    usual: {
      ...tool,
      label: 'npm',
      command: 'npm install',
      name: /^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*$/,
      version: /^\d[\w.+-]*$/,
      wordsFor: ({ name, to }) => [`${name}@${to}`],
    },
  },
  composer: {
    hasCaret: true,
    // Not `require`, which would write packages that others bring in into composer.json. In one command,
    // because packages of one vendor often go together.
    usual: {
      ...tool,
      label: 'Composer',
      command: 'composer update --with-all-dependencies',
      name: /^\w[\w.-]*\/\w[\w.-]*$/,
      wordsFor: ({ name, to }) => [`${name}:${to}`],
    },
  },
  pypi: {
    hasCaret: false,
    usual: {
      ...tool,
      label: 'pip',
      command: 'pip install',
      wordsFor: ({ name, to }) => [`${name}==${to}`],
      remark: 'pip changes what is installed: change the pins of a requirements.txt, too.',
    },
    others: {
      // `pipenv upgrade` writes packages that others bring in into the Pipfile, some releases of it under the
      // wrong category.
      pipenv: null,
      // Not `add`, which would write packages that others bring in into pyproject.toml: the lockfile does not
      // say which these are.
      poetry: {
        ...tool,
        label: 'Poetry',
        command: 'poetry update',
        wordsFor: ({ name }) => [name],
        remark: 'Poetry takes the newest version that pyproject.toml allows: check the new lockfile.',
      },
      uv: {
        ...tool,
        label: 'uv',
        command: 'uv lock',
        wordsFor: ({ name, to }) => ['--upgrade-package', `${name}==${to}`],
      },
    },
  },
  golang: {
    hasCaret: false,
    usual: {
      ...tool,
      label: 'go',
      command: 'go get',
      name: /^\w[\w.~/-]*$/,
      // Without a dot it is not a module but Go itself, which is installed otherwise.
      wordsFor: ({ type, name, to }) =>
        name.includes('.') ? [`${name}@${versionForTool(type, name, to)}`] : undefined,
    },
  },
  gem: {
    hasCaret: false,
    usual: {
      ...tool,
      label: 'Bundler',
      command: 'bundle update --conservative',
      wordsFor: ({ name }) => [name],
      remark: 'Bundler takes the newest version that the Gemfile allows: check the new lockfile.',
    },
  },
  cargo: {
    hasCaret: true,
    usual: {
      ...tool,
      label: 'cargo',
      command: 'cargo update',
      takesSeveral: false,
      selects: true,
      // A larger step is refused unless Cargo.toml is changed before.
      wordsFor: ({ name, from, to }) =>
        from !== '' && isMajorJump(from, to)
          ? undefined
          : ['-p', from === '' ? name : `${name}@${from}`, '--precise', to],
    },
  },
  maven: { hasCaret: false, usual: null },
  nuget: {
    hasCaret: false,
    usual: {
      ...tool,
      label: 'dotnet',
      command: 'dotnet add package',
      takesSeveral: false,
      wordsFor: ({ name, to }) => [name, '--version', to],
    },
  },
};

/** The inventory's own tool if it is one of the type's, or the usual one; undefined if none updates it. */
export function updateToolOf(type: ProductType, updater?: Updater): UpdateTool | undefined {
  const { usual, others } = TABLE[productTypeFacts(type).platform];
  const own = updater && others?.[updater];
  return (own === undefined ? usual : own) ?? undefined;
}

/** Whether an update may need changes in what uses the product, as far as its versions tell. */
export function isMajorUpdate(type: ProductType, from: string, to: string): boolean {
  return TABLE[productTypeFacts(type).platform].hasCaret && isMajorJump(from, to);
}
