import { expect, it } from '@jest/globals';
import { ConfigIngestModule } from '../../apps/config-ingest/src/config-ingest.app.js';
import { ForwardConfigurationsController } from '../../apps/console/src/forward/forward.module.js';

type Controller = abstract new (...args: never[]) => object;

/** Paths of the routes of a controller, as Nest keeps them. */
function routesOf(controller: Controller): string[] {
  const prefix = String(Reflect.getMetadata('path', controller));
  return Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(
    ([name, { value }]) => {
      const isRoute = typeof value === 'function' && name !== 'constructor';
      const paths: string | string[] | undefined = isRoute ? Reflect.getMetadata('path', value) : undefined;
      return [paths ?? []].flat().map((path) => `${prefix}/${path}`);
    },
  );
}

it('the console forwards every request that config-ingest answers, where that is a separate process', () => {
  const controllers: Controller[] = Reflect.getMetadata('controllers', ConfigIngestModule);
  const answered = [...new Set(controllers.flatMap(routesOf))].sort();
  const generic = (path: string) => path.replace(/:\w+/g, ':').replace(/\/+$/, '');
  expect(answered.length).toBeGreaterThan(3);
  expect(routesOf(ForwardConfigurationsController).map(generic).sort()).toEqual(answered.map(generic));
});
