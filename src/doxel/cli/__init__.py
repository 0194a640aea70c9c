"""The command line: each command translates its options into one library call.

How a command runs:

1. :mod:`~doxel.cli.main` finds the command by name and imports only its module; it turns errors into messages
   and exit statuses, with a hint if a file was passed as something else.
2. ``commands/x.py`` declares the command ``x`` with click.  Options that several commands share, and the help
   that groups them, are in :mod:`~doxel.cli.options`; those of ``doxel assess`` in
   :mod:`~doxel.cli.assess_options`.
3. The command makes one library call.  The subcommands of ``doxel assess`` are in
   :mod:`~doxel.cli.assess_people` (users and assignments) and :mod:`~doxel.cli.assess_files` (export, import,
   agreement).
4. :mod:`~doxel.cli.console` prints tables to stdout, and notes and progress bars to stderr.
"""
