// Marks an update that may need changes in what uses the product.

import type { ProductType } from '../../index/product-type.ts';
import { isMajorUpdate } from './platform-tools.ts';

interface MajorMarkProps {
  readonly type: ProductType;
  readonly version: string;
  readonly to: string;
}

export function MajorMark({ type, version, to }: MajorMarkProps) {
  return isMajorUpdate(type, version, to) ? <span class="medium"> major</span> : null;
}
