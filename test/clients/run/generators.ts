/** A generator, and how a project runs it; it finds the description in `made/openapi.json` of its sample. */
export type Generator = {
  /** Also that of its folder in `samples`. */
  readonly name: string;
  /** Where its version stands in package.json. */
  readonly package: string;
  /** The command of the package, with its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>];
};

export const GENERATORS: ReadonlyArray<Generator> = [
  {
    name: 'openapi-typescript',
    package: 'openapi-typescript',
    command: ['openapi-typescript', 'made/openapi.json', '--output', 'made/api.ts'],
  },
  {
    name: 'hey-api',
    package: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', './made/openapi.json', '--output', 'made/api'],
  },
  { name: 'orval', package: 'orval', command: ['orval', '--config', 'orval.config.js'] },
  { name: 'oazapfts', package: 'oazapfts', command: ['oazapfts', 'made/openapi.json', 'made/api.ts'] },
  {
    name: 'swagger-typescript-api',
    package: 'swagger-typescript-api',
    command: [
      ...(['swagger-typescript-api', 'generate'] as const),
      ...['--path', 'made/openapi.json', '--output', 'made', '--name', 'api.ts'],
    ],
  },
  { name: 'kubb', package: '@kubb/cli', command: ['kubb', 'generate', '--config', 'kubb.config.ts'] },
];
