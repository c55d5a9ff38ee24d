import { csharp } from './csharp.js';
import type { Toolchain } from './toolchain.js';
import { typescript } from './typescript.js';

/** A generator, and how a project runs it; it finds the description in `made/openapi.json` of its sample. */
export type Generator = {
  /** Also that of its folder in `samples`. */
  readonly name: string;
  readonly toolchain: Toolchain;
  /** By this name its version stands where the toolchain has its versions. */
  readonly package: string;
  /** The command of the package, with its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>];
};

export const GENERATORS: ReadonlyArray<Generator> = [
  {
    name: 'openapi-typescript',
    toolchain: typescript,
    package: 'openapi-typescript',
    command: ['openapi-typescript', 'made/openapi.json', '--output', 'made/api.ts'],
  },
  {
    name: 'hey-api',
    toolchain: typescript,
    package: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', './made/openapi.json', '--output', 'made/api'],
  },
  { name: 'orval', toolchain: typescript, package: 'orval', command: ['orval', '--config', 'orval.config.js'] },
  {
    name: 'oazapfts',
    toolchain: typescript,
    package: 'oazapfts',
    command: ['oazapfts', 'made/openapi.json', 'made/api.ts'],
  },
  {
    name: 'swagger-typescript-api',
    toolchain: typescript,
    package: 'swagger-typescript-api',
    command: [
      ...(['swagger-typescript-api', 'generate'] as const),
      ...['--path', 'made/openapi.json', '--output', 'made', '--name', 'api.ts'],
    ],
  },
  {
    name: 'kubb',
    toolchain: typescript,
    package: '@kubb/cli',
    command: ['kubb', 'generate', '--config', 'kubb.config.ts'],
  },
  {
    name: 'nswag',
    toolchain: csharp('of a union it makes one class without members, which keeps what it was given'),
    package: 'nswag.consolecore',
    command: [
      ...(['nswag', 'openapi2csclient', '/input:made/openapi.json', '/output:made/Api.cs'] as const),
      ...['/namespace:Generated', '/className:Api', '/jsonLibrary:SystemTextJson', '/wrapResponses:true'],
      ...['/generateNullableReferenceTypes:true', '/generateOptionalPropertiesAsNullable:true'],
    ],
  },
  {
    name: 'kiota',
    toolchain: csharp('of a union it fills the first member, whichever of them it was given'),
    package: 'microsoft.openapi.kiota',
    command: [
      ...(['kiota', 'generate', '--language', 'CSharp', '--openapi', 'made/openapi.json'] as const),
      ...['--output', 'made/api', '--namespace-name', 'Generated', '--class-name', 'ServiceClient'],
      // without it, a null that was set is not sent
      '--backing-store',
    ],
  },
];
