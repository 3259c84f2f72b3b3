// Style sheets are imported by the component that needs them; the bundler collects them into one file.

declare module '*.css';
