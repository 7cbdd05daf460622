addEventListener("beforeprint", () => document.querySelectorAll("details:not(.audit)").forEach((d) => { d.open = true; }));
