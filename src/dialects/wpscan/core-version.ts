// The version of WordPress in a path, without its dots: `611` is 6.1.1, or 61.1 once there is one. WordPress
// counts 3.9, 4.0, so the second part has one digit; then the dots can be put back in at most two ways.
// Nothing tells which is meant, and a client reads the answer by its own version: so every reading is
// answered, each under its own name.

const DIGITS = /^(\d{2,5})([-+a-zA-Z][-+\w]*)?$/;
const READINGS: readonly RegExp[] = [/^(0|[1-9])(\d)(0|[1-9]\d?)?$/, /^([1-9]\d)(\d)(0|[1-9]\d?)?$/];

/**
 * The versions that the text can mean, lowest first; what follows the digits (`-beta1`) is kept. Empty if it
 * is none.
 */
export function coreVersions(text: string): string[] {
  const [, digits, suffix = ''] = DIGITS.exec(text) ?? [];
  if (digits === undefined) return [];
  return READINGS.flatMap((reading) => {
    const parts = reading.exec(digits);
    if (parts === null) return [];
    return [
      `${parts
        .slice(1)
        .filter((part) => part !== undefined)
        .join('.')}${suffix}`,
    ];
  });
}
