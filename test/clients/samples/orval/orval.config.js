import { defineConfig } from 'orval';

export default defineConfig({
  service: {
    input: './made/openapi.json',
    output: {
      target: './made/api.ts',
      client: 'fetch',
      override: { mutator: { path: './fetch.ts', name: 'send' } },
    },
  },
});
