// The first paragraph of a Markdown text as plain text, for descriptions. Good enough to read, not a Markdown
// parser: what it does not recognise stays as it is.

/** Only this much of the text is looked at: a paragraph is far shorter, and the work stays bounded. */
const SCANNED_CHARACTERS = 10_000;
const LONGEST_DESCRIPTION = 1000;

// Lines that are not a sentence: headings and their underlines, rules, tables, images, comments, and the line
// that precedes every report of the OpenSSF's malicious packages.
const NOT_TEXT = /^(?:#{1,6}(?:\s|$)|[-=*_]{3,}\s*$|\||!\[[^\]]*\]\([^)]*\)\s*$|<!--|_-=)/;
const FENCE = /^(?:```|~~~)/;

/** At most 1,000 characters, cut at a word and then ending in `…`; '' if the text has no paragraph. */
export function firstParagraph(markdown: string): string {
  const lines: string[] = [];
  let isFenced = false;
  for (const text of linesOf(markdown)) {
    if (FENCE.test(text)) {
      if (lines.length > 0) break;
      isFenced = !isFenced;
    } else if (isFenced) continue;
    else if (text === '' || NOT_TEXT.test(text)) {
      if (lines.length > 0) break;
    } else lines.push(text.replace(/^(?:[-*+]|>|\d{1,3}[.)])\s+/, ''));
  }
  return shortened(plain(lines.join(' ')));
}

/** The first line with text in it, without a heading's marks. */
export function firstLine(markdown: string): string {
  for (const line of linesOf(markdown)) {
    const text = plain(line.replace(/^#{1,6}\s+/, ''));
    if (/[\p{L}\p{N}]/u.test(text)) return shortened(text);
  }
  return '';
}

/** Trimmed, one by one: the first few are enough of most texts. */
function* linesOf(markdown: string): Generator<string> {
  const end = Math.min(markdown.length, SCANNED_CHARACTERS);
  for (let start = 0; start < end; ) {
    const feed = markdown.indexOf('\n', start);
    const next = feed === -1 || feed > end ? end : feed;
    yield markdown.slice(start, next).trim();
    start = next + 1;
  }
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!<>-])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

function shortened(text: string): string {
  if (text.length <= LONGEST_DESCRIPTION) return text;
  const space = text.lastIndexOf(' ', LONGEST_DESCRIPTION - 1);
  // Never within a surrogate pair: a word that long is cut by characters.
  const cut = space > 0 ? text.slice(0, space) : [...text].slice(0, LONGEST_DESCRIPTION / 2).join('');
  return `${cut}…`;
}
