// Marks an update that may need changes in what uses the package.

export function MajorMark() {
  return <span class="medium"> major</span>;
}
