// requirements.txt: https://pip.pypa.io/en/stable/reference/requirements-file-format/
//
//   django[argon2]==3.2 ; python_version >= "3.8" \
//       --hash=sha256:…            # a comment
//   -r other.txt
//
// Only pins name a version. What another file has is named, and not asked about.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { clip } from '../../refusal.ts';
import { refuseRegistry } from '../registries.ts';
import { exactVersion } from './requirement.ts';

const REQUIREMENT =
  /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)[ \t]*(?:\[[^\]]*\])?[ \t]*(?:@[ \t]*(\S+)|\(?((?:={2,3}|[<>!~]=|[<>])[^;#()]*)\)?)?[ \t]*(?:;.*)?$/;
const OTHER_FILE = /^(?:-r|--requirement|-c|--constraint)[ \t=]*(\S+)/;
const EDITABLE = /^(?:-e|--editable)[ \t=]*(\S+)/;
const INDEX = /^(?:-i|--index-url|--extra-index-url)[ \t=]*(\S+)/;

/** Whether every line is one of such a file, with a pin or an option among them. */
export function looksLikeRequirements(head: string, isWhole: boolean): boolean {
  const lines = logicalLines(head);
  if (!isWhole) lines.pop(); // it may be cut
  return (
    lines.some((line) => /^[^=]*==/.test(line) || OTHER_FILE.test(line)) &&
    lines.every((line) => line.startsWith('-') || isPlace(line) || REQUIREMENT.test(withoutOptions(line)))
  );
}

export function readRequirements(text: string): Inventory {
  const builder = new InventoryBuilder();
  for (const line of logicalLines(text)) readLine(line, builder);
  return builder.inventory('requirements.txt');
}

function readLine(line: string, builder: InventoryBuilder): void {
  const file = OTHER_FILE.exec(line)?.[1];
  const editable = EDITABLE.exec(line)?.[1];
  const index = INDEX.exec(line)?.[1];
  if (file !== undefined) builder.leaveOut('another file that this one includes', file);
  else if (editable !== undefined) builder.leaveOut(originOf(editable), editable);
  else if (index !== undefined && refuseRegistry('pypi', index) !== undefined) {
    builder.remark('The file names an index of its own: its packages were looked up as those of PyPI.');
  } else if (line.startsWith('-'))
    return; // another option of pip
  else if (isPlace(line)) builder.leaveOut(originOf(line), line);
  else {
    const [, name, address, clauses = ''] = REQUIREMENT.exec(withoutOptions(line)) ?? [];
    const version = exactVersion(clauses);
    if (name === undefined) builder.leaveOut('a line that is not read', clip(line));
    else if (address !== undefined) builder.leaveOut(originOf(address), name);
    else if (version === undefined) builder.leaveOut('no exact version', name);
    else builder.add({ type: 'pypi', name, version });
  }
}

function originOf(place: string): string {
  if (/^(?:git|hg|svn|bzr)\+/.test(place)) return 'a git repository';
  return /^https?:/.test(place) ? 'a file of a web site' : 'a local file or folder';
}

function isPlace(line: string): boolean {
  return /^(?:[a-z+]+:\/\/|file:|\.{0,2}\/)/i.test(line) || /\.(?:whl|tar\.gz|zip)$/i.test(line);
}

/** `--hash=…` and the like, behind a requirement. */
function withoutOptions(line: string): string {
  return line.split(/[ \t]--/, 1)[0].trimEnd();
}

/** Without comments, blank lines and line breaks that a backslash escapes. */
function logicalLines(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => (line.startsWith('#') ? '' : line.split(/[ \t]#/, 1)[0].trim()))
    .filter((line) => line !== '');
}
