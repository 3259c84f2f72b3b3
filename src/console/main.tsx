// The entry of the console.

import { render } from 'preact';

const app = document.getElementById('app');
if (app !== null) render(<p>vulndex</p>, app);
