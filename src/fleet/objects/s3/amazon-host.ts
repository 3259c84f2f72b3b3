// Where Amazon's own services are. The regions in China have a domain of their own.

/** The host of a service in a region, such as `sts.eu-west-1.amazonaws.com`. */
export function amazonHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
