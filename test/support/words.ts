// Lists in tests as one text, which the formatter keeps together.

/** The words of a text, without the blanks and line breaks between them. */
export const words = (text: string): string[] => text.match(/[^ \n]+/g) ?? [];

/** The parts of a text between its bars, without the blanks and line breaks around them. */
export function phrases(text: string): string[] {
  return text.split('|').map((part) => part.replace(/^[ \n]+|[ \n]+$/g, ''));
}
