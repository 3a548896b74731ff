import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

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
  // Libraries are bundled from their sources (`imports` of package.json).
  resolve: { conditions: ['curtail-source', ...defaultClientConditions] },
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
