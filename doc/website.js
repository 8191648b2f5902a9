// Tables that are wider than the screen, which the theme puts into boxes, scroll by keys too.
document$.subscribe(() => requestAnimationFrame(() => {
    document.querySelectorAll(".md-typeset__scrollwrap").forEach((each) => { each.tabIndex = 0; });
}));
