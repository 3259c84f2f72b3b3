// Style sheets are imported by main.tsx alone, in the order in which they apply; the bundler collects them
// into one file.

declare module '*.css';
