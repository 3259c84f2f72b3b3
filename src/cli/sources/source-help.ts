// How the help of `compile` and `import` groups the options that they share (source-options.ts).

import type { OptionGroups } from '../help.ts';

export const SOURCE_OPTION_GROUPS: OptionGroups = {
  Sources: ['*'],
  'Access to --mirror': [
    ...['--key', '--key-file', '--ca', '--mirror-cache', '--mirror-max-bytes', '--mirror-max-time'],
  ],
  'One set of records': ['--prefer', '--malware-of-withdrawn', '--osv-informational', '--ids'],
};
