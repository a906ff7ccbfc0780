// Runs before the first paint, so that a chosen theme never flashes in as the other one.
const chosen = localStorage.getItem('bourse-theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
