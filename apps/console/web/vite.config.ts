import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const libs = (path: string) => fileURLToPath(new URL(`../../../libs/${path}`, import.meta.url));

/** Scripts and styles are compressed once, here, not at each request. */
const compressed: Plugin = {
  name: 'compressed',
  async writeBundle({ dir = '' }, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (!/\.(?:js|css)$/.test(name)) continue;
      const text = file.type === 'chunk' ? file.code : file.source;
      await writeFile(join(dir, `${name}.gz`), gzipSync(text, { level: 9 }));
    }
  },
};

/** The page is built beside the program of the console, which serves it below /ui/. */
export default defineConfig({
  base: '/ui/',
  plugins: [compressed],
  resolve: {
    alias: [
      { find: '@curtail/api-client', replacement: libs('api-client/src/index.ts') },
      { find: '@curtail/planning/words', replacement: libs('planning/src/words.ts') },
      { find: '@curtail/contracts', replacement: libs('contracts/src/index.ts') },
    ],
  },
  build: {
    outDir: fileURLToPath(new URL('../../../dist/apps/console/page', import.meta.url)),
    emptyOutDir: true,
    // The policy of the page permits no inline scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Directives for servers of components, which there are none of.
      onwarn: (warning, tell) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') tell(warning);
      },
    },
  },
});
