// The completion scripts. Each can be sourced again, needs no variable to be set beforehand, and leaves words
// that it does not know to the shell's completion of file names.

import type { CompletionPoint, OptionWord, Word } from './completion-points.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The first point is that of the program. */
export function completionScript(shell: Shell, points: readonly CompletionPoint[]): string {
  return SCRIPTS[shell](points);
}

const SCRIPTS: Readonly<Record<Shell, (points: readonly CompletionPoint[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(points: readonly CompletionPoint[]): string {
  const words = points.map(
    ({ words, next, options }) => `    '${words}') words='${names(next)}' options='${names(options)}' ;;`,
  );
  const values = withValues(points).map(
    ({ at, choices }) => `    '${at}') words='${choices.join(' ')}' options='' ;;`,
  );
  return `# Completion of vulndex for bash: source <(vulndex completion bash)
_vulndex() {
  local IFS=$' \\t\\n' point='' words='' options='' current="\${COMP_WORDS[COMP_CWORD]-}"
  if [ "$COMP_CWORD" -gt 1 ]; then point="\${COMP_WORDS[1]-}"; fi
  case "$point" in
    ${parents(points)}) if [ "$COMP_CWORD" -gt 2 ]; then point="$point \${COMP_WORDS[2]-}"; fi ;;
  esac
  case "$point" in
${words.join('\n')}
  esac
  case "$point \${COMP_WORDS[COMP_CWORD-1]-}" in
${values.join('\n')}
  esac
  case "$current" in -*) words="$options" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _vulndex vulndex
`;
}

function zshScript(points: readonly CompletionPoint[]): string {
  const described = (words: readonly Word[]): string =>
    words
      .map(({ name, description }) => quoted(description === '' ? name : `${name}:${description}`))
      .join(' ');
  const words = points.map(
    ({ words, next, options }) =>
      `    ('${words}') next=(${described(next)}); flags=(${described(options)}) ;;`,
  );
  const values = withValues(points).map(
    ({ at, choices }) =>
      `    ('${at}') ${choices.length === 0 ? '_files' : `compadd -- ${choices.join(' ')}`}; return ;;`,
  );
  return `#compdef vulndex
# Completion of vulndex for zsh: source <(vulndex completion zsh), or put this into a file _vulndex on fpath
_vulndex() {
  local point=''
  local -a next flags
  next=() flags=()
  if (( CURRENT > 2 )); then point="\${words[2]-}"; fi
  case "$point" in
    (${parents(points)}) if (( CURRENT > 3 )); then point="$point \${words[3]-}"; fi ;;
  esac
  case "$point" in
${words.join('\n')}
  esac
  case "$point \${words[CURRENT-1]-}" in
${values.join('\n')}
  esac
  if [[ "\${words[CURRENT]-}" == -* ]]; then _describe -o option flags
  elif (( \${#next} )); then _describe command next
  else _files
  fi
}
if [[ "\${funcstack[1]-}" == _vulndex ]]; then _vulndex "$@"
elif (( $+functions[compdef] )); then compdef _vulndex vulndex
fi
`;
}

function fishScript(points: readonly CompletionPoint[]): string {
  const lines = points.flatMap(({ words, next, options }) => {
    const seen = words.split(' ').filter((word) => word !== '');
    const names = next.map(({ name }) => name);
    const here = seen.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notBelow = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`];
    const at = quoted([...here, ...notBelow].join('; and ') || 'true');
    return [
      ...next.map((word) => `complete -c vulndex -n ${at} -f -a ${word.name}${fishDescription(word)}`),
      ...options.map((option) => `complete -c vulndex -n ${at} ${fishOption(option)}`),
    ];
  });
  // The first line removes what an earlier release, or an earlier run of this script, defined.
  return `# Completion of vulndex for fish: vulndex completion fish | source
complete -c vulndex -e
${lines.join('\n')}
`;
}

function fishOption(option: OptionWord): string {
  const { name, takesValue, choices } = option;
  const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
  return `-l ${name.replace(/^--/, '')}${value}${fishDescription(option)}`;
}

function fishDescription({ description }: Word): string {
  return description === '' ? '' : ` -d ${quoted(description)}`;
}

/** The options that take a value, as the words of their command and their own. */
function withValues(
  points: readonly CompletionPoint[],
): { readonly at: string; readonly choices: readonly string[] }[] {
  return points.flatMap(({ words, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, choices }) => ({ at: `${words} ${name}`, choices })),
  );
}

/** The commands that have commands below them, as a pattern. */
function parents(points: readonly CompletionPoint[]): string {
  return points
    .flatMap(({ words }) => (words.includes(' ') ? words.split(' ')[0] : []))
    .filter((word, i, all) => all.indexOf(word) === i)
    .join('|');
}

function names(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(' ');
}

/** In single quotes, in which no shell expands anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
