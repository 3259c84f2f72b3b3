// Reads CSV (RFC 4180) with any delimiter of one character. Written here because the console's page has to be
// small.

/** The rows with their cells. A quote that does not end reaches to the end of the text. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  const endRow = (): void => {
    row.push(cell);
    rows.push(row);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"' && cell === '') {
      let end = at + 1;
      while (end < text.length && (text[end] !== '"' || text[end + 1] === '"'))
        end += text[end] === '"' ? 2 : 1;
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end;
    } else if (char === delimiter) {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}
