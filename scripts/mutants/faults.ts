// Finds the places of src where a small fault can be put, and draws some of them by a seed. The parser is the
// compiler's own: it is here anyway. Its interface may change with a release, which the test of this tool
// would show.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as ts from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

export const KINDS = ['flipped comparison', 'dropped bound', 'swapped operand', 'skipped check'] as const;
type Kind = (typeof KINDS)[number];

export interface Fault {
  readonly kind: Kind;
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly before: string;
  readonly after: string;
}

const FLIPPED = { '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/**
 * The files are relative to the project. One that its tsconfig.json does not reach, which no test can see
 * either, has no fault.
 */
export function findFaults(project: string, files: readonly string[]): Fault[] {
  const api = new API({ cwd: project });
  const [{ program }] = api.updateSnapshot({ openProject: join(project, 'tsconfig.json') }).getProjects();
  const faults: Fault[] = [];
  for (const file of files) {
    const source = program.getSourceFile(join(project, file));
    if (source === undefined) continue;
    const textOf = (node: ts.Node): string => source.text.slice(node.getStart(source), node.end);
    const visit = (node: ts.Node): void => {
      // No test can make false what an assert states about our own code.
      if (ts.isCallExpression(node) && textOf(node.expression) === 'assert') return;
      const start = node.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      for (const [kind, after] of changesOf(node, textOf)) {
        faults.push({ kind, file, line, start, before: textOf(node), after });
      }
      node.forEachChild(visit);
    };
    visit(source);
  }
  api.close();
  return faults;
}

/** What can stand in place of the node. */
function changesOf(node: ts.Node, textOf: (node: ts.Node) => string): (readonly [Kind, string])[] {
  if (ts.isBinaryExpression(node)) {
    const [left, operator, right] = [node.left, node.operatorToken, node.right].map(textOf);
    const flipped = FLIPPED[operator as keyof typeof FLIPPED];
    if (flipped !== undefined) return [['flipped comparison', `${left} ${flipped} ${right}`]];
    if (/^[+-]$/.test(operator) && right === '1') return [['dropped bound', left]];
    if (/^(-|\/|%|<<|>>>?)$/.test(operator)) return [['swapped operand', `(${right}) ${operator} (${left})`]];
    if (operator !== '&&' && operator !== '||') return [];
    const isBound = (it: ts.Node) => ts.isBinaryExpression(it) && /^[<>]/.test(textOf(it.operatorToken));
    const kindOf = (dropped: ts.Node): Kind => (isBound(dropped) ? 'dropped bound' : 'skipped check');
    return [node.left, node.right].map((kept, i) => [kindOf(i === 0 ? node.right : node.left), textOf(kept)]);
  }
  if (ts.isConditionalExpression(node)) {
    const [condition, whenTrue, whenFalse] = [node.condition, node.whenTrue, node.whenFalse].map(textOf);
    return [['swapped operand', `${condition} ? ${whenFalse} : ${whenTrue}`]];
  }
  if (ts.isCallExpression(node) && node.arguments.length === 2) {
    const [callee, first, second] = [node.expression, ...node.arguments].map(textOf);
    if (/^Math\.(min|max)$/.test(callee)) return [first, second].map((kept) => ['dropped bound', kept]);
    const areNames = node.arguments.every((it) => ts.isIdentifier(it) || ts.isPropertyAccessExpression(it));
    if (areNames) return [['swapped operand', `${callee}(${second}, ${first})`]];
  }
  if (ts.isIfStatement(node) && node.elseStatement === undefined) {
    // The condition stays in the text, so that nothing it names becomes unused.
    const [condition, then] = [node.expression, node.thenStatement].map(textOf);
    return [['skipped check', `if (false && (${condition})) ${then}`]];
  }
  const isNot = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
  return isNot ? [['skipped check', textOf(node.operand)]] : [];
}

/**
 * Each kind as often as the others while there are enough; within a kind every place is as likely as any
 * other.
 */
export function draw(faults: readonly Fault[], count: number, seed: number): Fault[] {
  const scales = new Map(KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]));
  const keyOf = ({ kind, file, start, after }: Fault): number => {
    const hash = createHash('sha256').update(`${seed} ${file} ${start} ${after}`).digest();
    return hash.readUInt32LE() * (scales.get(kind) as number);
  };
  const keyed = faults.map((fault) => ({ fault, key: keyOf(fault) })).sort((a, b) => a.key - b.key);
  return keyed.slice(0, count).map(({ fault }) => fault);
}
