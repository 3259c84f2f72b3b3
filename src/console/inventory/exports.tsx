// The buttons that save the report as a file. It is made when it is asked for.

import { toCsv } from './exports/csv.ts';
import { toJson } from './exports/json.ts';
import { exportName, type Report } from './exports/report.ts';

const FORMATS = [
  { title: 'CSV', extension: 'csv', type: 'text/csv', write: toCsv },
  { title: 'JSON', extension: 'json', type: 'application/json', write: toJson },
] as const;

/** The browser has begun to save by then. */
const REVOKE_AFTER_MS = 10_000;

export function Exports({ report }: { readonly report: Report }) {
  return (
    <section aria-label="Export">
      <div class="actions">
        {FORMATS.map(({ title, extension, type, write }) => (
          <button
            key={title}
            type="button"
            onClick={() => save(new Blob([write(report)], { type }), exportName(report.fileName, extension))}
          >
            Save {title}
          </button>
        ))}
      </div>
    </section>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
