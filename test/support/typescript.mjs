import { register } from 'node:module';

/**
 * Lets plain node import the project's TypeScript, without a build: for jest's global setup, which
 * jest does not transform as ESM, and for programs that tests start (`node --import <this file> x.ts`).
 */
register('./typescript-hooks.mjs', import.meta.url);
