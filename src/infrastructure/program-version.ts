import { createRequire } from 'node:module';

/** The version of this program, as its package says. */
export const programVersion = (): string => {
  // reason: our own file, which package.json names so under `imports`, from `src` as from `dist`
  const { version } = createRequire(import.meta.url)('#package.json') as { readonly version: string };
  return version;
};
