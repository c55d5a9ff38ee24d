import { defineConfig } from 'orval';

export default defineConfig({
  service: {
    input: './made/openapi.json',
    output: {
      target: './made/api.ts',
      client: 'fetch',
      override: {
        mutator: { path: './fetch.ts', name: 'send' },
        // of a body in several forms, that which it is to write and read
        contentType: { exclude: ['multipart/form-data', 'text/event-stream', 'text/csv', 'application/x-ndjson'] },
      },
    },
  },
});
