import { Logger, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SimulatedController } from './simulated.controller.js';
import { SimulatedCluster } from './simulated-cluster.js';
import { SimulatedReaper } from './simulated-reaper.js';

/**
 * The simulated cluster in a Nest application. `DataSource` comes from a global module, with the migrations done before
 * the application starts. Exports `SimulatedCluster`, the driver.
 */
@Module({
  controllers: [SimulatedController],
  providers: [
    {
      provide: SimulatedCluster,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new SimulatedCluster(dataSource),
    },
    {
      provide: SimulatedReaper,
      inject: [SimulatedCluster],
      useFactory: (cluster: SimulatedCluster) =>
        new SimulatedReaper(cluster, (error) =>
          new Logger(SimulatedReaper.name).warn('Could not remove ended allocations; retrying.', {
            err: error,
          }),
        ),
    },
  ],
  exports: [SimulatedCluster],
})
export class SimulatedClusterModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(private readonly reaper: SimulatedReaper) {}

  onApplicationBootstrap(): void {
    this.reaper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.reaper.stop();
  }
}
