import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const libs = (path: string) => fileURLToPath(new URL(`../../../libs/${path}`, import.meta.url));

/** The page is built beside the program of the console, which serves it below /ui/. */
export default defineConfig({
  base: '/ui/',
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
