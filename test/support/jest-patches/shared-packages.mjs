import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileFunction, SyntheticModule } from 'node:vm';
import Runtime from 'jest-runtime';
import { quickExpect } from './quick-expect.mjs';

/** Packages whose modules our code replaces (libs/messaging/src/kafka/kafkajs-patches), and what keeps the state of a suite. */
const ofEachSuite = ['kafkajs', 'jest-circus'];

/**
 * The loader of jest, with packages loaded by Node: once for a worker in place of once for every suite, which would take most of
 * the time of short suites. Our own modules are loaded anew for each suite, as ever. That works in one realm only
 * (one-realm.mjs): packages and suites have to agree on what an Error, an Array or a Date is.
 */
export default class SharedPackages extends Runtime {
  constructor(...words) {
    super(...words);
    const { esmLoader, executor, registries } = this;
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: (specifier, _function, attributes) =>
          executor.dynamicImport(specifier, filename, undefined, attributes),
      });
    // From Node 24.9 jest would resolve imports without resolveModule.
    this._resolution.hasDistinctAsyncResolver = () => true;
    const resolveOwn = esmLoader.resolveModule.bind(esmLoader);
    esmLoader.resolveModule = async (specifier, from, context) => {
      const path = isBare(specifier) && (await this._resolution.resolveEsmAsync(from, specifier));
      if (!path || !isShared(path)) return resolveOwn(specifier, from, context);
      const loaded = registries.getActiveEsmRegistry();
      if (!loaded.has(path)) loaded.set(path, importShared(path));
      return loaded.get(path);
    };
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime({ ...globals, expect: quickExpect(globals.expect) });
  }

  requireModuleOrMock(from, name) {
    return this.requireShared(from, name) ?? super.requireModuleOrMock(from, name);
  }

  requireInternalModule(from, name) {
    return this.requireShared(from, name) ?? super.requireInternalModule(from, name);
  }

  requireShared(from, name) {
    if (!name || this._resolution.isCoreModule(name)) return undefined;
    const path = this._resolution.resolveCjs(from, name);
    return isShared(path) ? createRequire(from)(path) : undefined;
  }
}

function isShared(path) {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name !== undefined && !ofEachSuite.includes(name) && !path.endsWith('.json');
}

function isBare(specifier) {
  return !/^(\.|data:|node:|#|@jest\/globals$)/.test(specifier);
}

/** A module that has the exports of one that Node has loaded. */
async function importShared(path) {
  const exported = await import(pathToFileURL(path).href);
  const names = Object.keys(exported);
  const module = new SyntheticModule(
    names,
    () => {
      for (const name of names) module.setExport(name, exported[name]);
    },
    { identifier: path },
  );
  if (module.status === 'unlinked') await module.link(() => {});
  await module.evaluate();
  return module;
}
